"""The explorer in a real browser: its numbers are Python's, and its controls do what they say."""

import numpy as np
import pytest

from sightline.reports.explorer import TOP

pytestmark = pytest.mark.browser
READY = ".explorer[data-ready=yes]"
METHODS = ("cam", "has", "acol", "spg", "adl", "cutmix")


def slide(page, step):
    page.eval_on_selector(
        "input[type=range]",
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true}));"
        " e.dispatchEvent(new Event('change', {bubbles: true})); }",
        step,
    )


def shown_numbers(page):
    return page.eval_on_selector_all(
        ".scores tbody tr",
        "lines => lines.map(l => [...l.querySelectorAll('td')].slice(0, 4)"
        ".map(c => Number(c.textContent)))",
    )


def expected_numbers(explored, step):
    found = []
    for method in METHODS:
        here = explored.overlaps["reference-v2", method][:, step].astype(float)
        hits = [round(100 * (here >= d * TOP / 100).mean(), 2) for d in (30, 50, 70)]
        found.append([*hits, round(100 * here.mean() / TOP, 2)])
    return found


@pytest.mark.parametrize("step", [0, 7, 30, 55, 99])
def test_the_slider_shows_what_python_computes(opened, small, step):
    file, explored = small
    page = opened(file)
    page.wait_for_selector(READY)
    slide(page, step)
    assert np.allclose(shown_numbers(page), expected_numbers(explored, step), atol=0.011)
    assert page.text_content("output") == f"{step / 100:.2f}"


def test_boxes_and_captions_follow_the_slider(opened, small):
    file, explored = small
    page = opened(file)
    page.wait_for_selector(READY)
    page.locator(".cards").scroll_into_view_if_needed()
    drawn = []
    for step in (20, 70):
        slide(page, step)
        page.wait_for_selector(".card rect.best")
        caption = page.text_content(".card .tile figcaption")
        overlap = explored.overlaps["reference-v2", "cam"][0, step] / TOP
        assert f"IoU {overlap:.2f}" in caption
        assert ("hit" in caption) == (overlap >= 0.5)
        drawn.append(page.eval_on_selector(".card rect.best", "e => e.outerHTML"))
    assert drawn[0] != drawn[1]


def test_each_method_can_stand_at_its_own_optimum(opened, small):
    file, explored = small
    page = opened(file)
    page.wait_for_selector(READY)
    page.check(".own")
    assert np.allclose(shown_numbers(page), expected_numbers(explored, 41), atol=0.011)
    marks = page.eval_on_selector_all(".optima span", "all => all.map(e => e.style.left)")
    assert len(marks) == len(METHODS)
    assert float(marks[0].rstrip("%")) == pytest.approx(100 * 41 / 99, abs=0.01)


def visible_ids(page):
    return page.eval_on_selector_all(
        ".card:not([hidden])", "cards => cards.map(c => c.dataset.image)"
    )


def test_sorting_and_filters(opened, small):
    file, explored = small
    page = opened(file)
    page.wait_for_selector(READY)
    slide(page, 50)
    ids = np.array([fact.image for fact in explored.facts])
    page.select_option(".sort", "m:has")
    order = np.argsort(explored.overlaps["reference-v2", "has"][:, 50], kind="stable")
    assert visible_ids(page) == ids[order].tolist()
    page.select_option(".sort", "file")
    page.select_option(".class", "class 2")
    assert visible_ids(page) == [i for i in ids if i.startswith("class2/")]
    page.select_option(".class", "")
    page.select_option(".which", "missed")
    table = np.stack([explored.overlaps["reference-v2", m][:, 50] for m in METHODS])
    assert visible_ids(page) == ids[(table < 5000).all(axis=0)].tolist()
    page.select_option(".which", "hit")
    assert visible_ids(page) == ids[(table >= 5000).all(axis=0)].tolist()


def test_a_link_restores_the_view(opened, small):
    file, _ = small
    page = opened(file)
    page.wait_for_selector(READY)
    slide(page, 63)
    page.select_option(".sort", "disagree")
    page.select_option(".needed", "70")
    page.select_option(".layer", "mask")
    anchor = page.evaluate("location.hash")
    again = opened(file, anchor=anchor)
    again.wait_for_selector(READY)
    assert again.text_content("output") == "0.63"
    assert again.input_value(".sort") == "disagree"
    assert again.input_value(".needed") == "70"
    assert again.input_value(".layer") == "mask"
    assert visible_ids(again) == visible_ids(page)


def test_a_broken_link_is_no_harm(opened, small):
    page = opened(small[0], anchor="#explorer-0?t=999&p=7&sort=nothing&x=1")
    page.wait_for_selector(READY)
    assert page.text_content("output") == "0.99"
    assert len(visible_ids(page)) == 40


def test_arrow_keys_move_the_threshold(opened, small):
    page = opened(small[0])
    page.wait_for_selector(READY)
    page.locator(".card").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    assert page.text_content("output") == "0.41"


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_is_wider_than_the_screen(opened, small, width):
    page = opened(small[0], width=width)
    page.wait_for_selector(READY)
    page.locator(".chart").scroll_into_view_if_needed()
    page.wait_for_selector(".chart[data-drawn=yes]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("getComputedStyle(document.querySelector('.controls')).position") == (
        "static" if width < 640 else "sticky"
    )


def test_a_chart_is_drawn_when_it_is_scrolled_to(opened, small):
    pytest.importorskip("altair")
    page = opened(small[0])
    page.wait_for_selector(READY)
    page.locator(".chart").scroll_into_view_if_needed()
    page.wait_for_selector(".chart[data-drawn=yes]")
    assert page.locator(".chart svg").bounding_box()["height"] > 200
    assert "Two methods" in page.get_attribute(".chart .plot", "aria-label")


def test_controls_have_names_and_text_has_contrast(opened, small):
    page = opened(small[0])
    page.wait_for_selector(READY)
    unnamed = page.eval_on_selector_all(
        "input, select, button",
        "all => all.filter(e => !(e.labels && e.labels.length) && !e.textContent.trim()"
        " && !e.getAttribute('aria-label')).length",
    )
    assert unnamed == 0
    for dark in ("light", "dark"):
        page.emulate_media(color_scheme=dark)
        ratio = page.evaluate(CONTRAST)
        assert min(ratio) >= 4.5, ratio


CONTRAST = """() => {
  const light = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => { x /= 255;
    return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  return ['body', 'a', 'dd', 'thead th', '.told', 'footer', '.hit', '.miss', 'figcaption']
    .map(s => document.querySelector(s)).filter(Boolean).map(e => {
      const l = light(getComputedStyle(e).color);
      return (Math.max(l, ground) + .05) / (Math.min(l, ground) + .05); });
}"""
