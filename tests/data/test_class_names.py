import pytest

from sightline.data.class_names import imagenet, numbered, read_class_names
from sightline.errors import UsageError


def test_imagenet_s_classes_are_in_the_order_of_the_shared_list(shared):
    listed = (shared / "data" / "ilsvrc_synsets.txt").read_text().split()
    assert list(imagenet().synsets) == listed


def test_some_classes_that_everybody_knows():
    names = imagenet()
    assert len(names) == 1000
    for label, name, synset in (
        (0, "tench", "n01440764"),
        (162, "beagle", "n02088364"),
        (281, "tabby", "n02123045"),
        (999, "toilet tissue", "n15075141"),
    ):
        assert (names.name(label), names.synsets[label]) == (name, synset)


@pytest.mark.parametrize("text", ["beagle", "Beagle", " BEAGLE ", "n02088364", "162"])
def test_a_class_is_found_by_name_id_or_number(text):
    assert imagenet().find(text) == 162


def test_other_names_and_underscores_count_and_the_usual_name_goes_first():
    names = imagenet()
    assert names.name(names.find("tabby_cat")) == "tabby"
    assert names.name(names.find("partridge")) == "partridge"  # the ruffed grouse is one too


def test_an_ambiguous_name_lists_what_it_may_mean():
    with pytest.raises(UsageError, match=r"'crane': n02012849 .*; n03126707"):
        imagenet().find("crane")


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(UsageError, match=r"did you mean .*beagle"):
        imagenet().find("beagel")
    with pytest.raises(UsageError, match="no class is called '1000'"):
        imagenet().find("1000")


def test_names_of_one_s_own(tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("duck|mallard\nboat\n")
    names = read_class_names(file)
    assert names.find("Mallard") == 0
    assert names.name(1) == "boat"
    file.write_text("duck\n\nboat\n")
    with pytest.raises(UsageError, match=r"names.txt:2: is empty"):
        read_class_names(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_class_names(tmp_path / "absent.txt")


def test_classes_without_names_have_numbers():
    assert numbered(3).name(2) == "class 2"
    assert numbered(3).find("2") == 2
