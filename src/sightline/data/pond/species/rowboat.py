"""Rowboat: an open wooden boat with benches and a pair of oars."""

from sightline.data.pond.anatomy import Mark, Part, Species, View

SPECIES = Species(
    name="rowboat",
    coarse="watercraft",
    synset="n03199901",
    lemma="rowboat",
    coarse_synset="n04530566",
    background="sand",
    rests="floats",
    coat=("#b4552f", "#e3a15e", "#7a3419"),
    views=(
        View(
            "side",
            (
                Part(
                    "far oar",
                    "60,34! 84,10! 92,-2! 98,-4! 97,3! 87,13! 63,37!",
                    "#c9a468",
                    tells=3.0,
                    swing=8,
                    pivot=(60, 37),
                ),
                Part("inside", "0,38! 20,33 50,31 80,33 104,34! 90,44 50,48 14,46", "#5d3a20"),
                Part(
                    "benches",
                    "22,36! 30,34! 32,44! 24,45!|46,33! 55,33! 56,45! 47,46!|72,34! 80,34! "
                    "80,44! 72,45!",
                    "#d8b276",
                    tells=3.0,
                ),
                Part("keel", "16,64! 40,70! 78,68! 92,60! 60,64", "#4a2414"),
                Part(
                    "hull",
                    "-2,38! 16,45 48,49 84,45 106,34! 102,48 92,62 76,67! 22,67! 8,58",
                    "coat",
                    marks=(
                        Mark("2,48 22,55 50,57 82,54 102,44", "dark", 1.5),
                        Mark("8,57 28,62 52,63 80,61 96,54", "dark", 1.5),
                    ),
                ),
                Part(
                    "rim",
                    "-4,36! 16,43 48,47 84,43 108,31! 107,36! 86,48 48,52 14,48 -3,41!",
                    "light",
                    tells=1.5,
                ),
                Part(
                    "near oar",
                    "44,42! 24,64 8,84! 0,90! -4,98! 4,98! 12,88! 29,67 48,46!",
                    "#d9b679",
                    tells=4.0,
                    swing=8,
                    pivot=(46, 44),
                    marks=(Mark("8,86 1,95", "#8f6a35", 1.4),),
                ),
            ),
            ground=68,
            waterline=63,
        ),
    ),
)
