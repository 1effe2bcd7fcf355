"""Goldfish: a round orange fish with a flowing forked tail."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, eye

SPECIES = Species(
    name="goldfish",
    coarse="fish",
    synset="n01443537",
    lemma="goldfish",
    coarse_synset="n02512053",
    background="water",
    rests="hovers",
    coat=("#f5862a", "#fcc968", "#d45a1a"),
    views=(
        View(
            "side",
            (
                Part(
                    "tail",
                    "32,48! 22,36 6,20 -12,16! -4,34 -2,48! -6,62 -16,80! 6,74 22,60 33,54!",
                    "light",
                    tells=4.0,
                    swing=10,
                    pivot=(32, 50),
                    marks=(
                        Mark("28,48 12,36 -4,22", "coat", 1.4),
                        Mark("28,51 10,49 -1,48", "coat", 1.4),
                        Mark("28,54 12,62 -6,74", "coat", 1.4),
                    ),
                ),
                Part(
                    "back fin",
                    "42,34! 44,20 56,10 74,12! 78,26! 64,30",
                    "dark",
                    tells=3.0,
                    marks=(
                        Mark("50,30 56,14", "coat", 1.2),
                        Mark("58,29 65,13", "coat", 1.2),
                        Mark("66,28 72,14", "coat", 1.2),
                    ),
                ),
                Part("belly fin", "48,68! 44,84! 56,82 62,70!|66,70! 64,84! 74,80 76,68!", "light"),
                Part(
                    "body",
                    "28,50 38,36 54,26 72,25 88,33 98,46 97,53 88,64 72,73 54,72 38,62",
                    "coat",
                    marks=(
                        Mark("46,64 60,68 76,68 90,60 82,70 66,74 52,71", "light"),
                        Mark("46,42 50,47 46,53", "dark", 1.2),
                        Mark("54,38 58,44 54,50", "dark", 1.2),
                        Mark("54,51 58,57 54,62", "dark", 1.2),
                        Mark("62,34 66,40 62,46", "dark", 1.2),
                        Mark("63,47 67,53 63,59", "dark", 1.2),
                    ),
                ),
                Part(
                    "head",
                    "76,26 88,33 98,46 97,53 88,64 76,71 80,58 81,42",
                    "coat",
                    tells=2.0,
                    marks=(Mark("97,52 92,54 89,53", "#8a3210", 1.4), *eye(88, 43, 4.4, "#fff3d2")),
                ),
                Part(
                    "side fin",
                    "74,56! 62,58 54,66! 64,70 75,64!",
                    "light",
                    swing=12,
                    pivot=(74, 59),
                ),
            ),
        ),
        View(
            "above",
            (
                Part(
                    "side fin",
                    "70,36! 62,22 50,14! 50,28 60,40!|70,64! 62,78 50,86! 50,72 60,60!",
                    "light",
                    swing=8,
                    pivot=(66, 50),
                    marks=(Mark("66,36 54,20", "coat", 1.2), Mark("66,64 54,80", "coat", 1.2)),
                ),
                Part(
                    "tail",
                    "24,47! 10,38 -6,30 -18,32! -8,42 -12,50! -8,58 -18,68! -6,70 10,62 24,53!",
                    "light",
                    tells=4.0,
                    swing=14,
                    pivot=(24, 50),
                    marks=(Mark("20,48 -2,38", "coat", 1.3), Mark("20,52 -2,62", "coat", 1.3)),
                ),
                Part(
                    "body",
                    "18,50 30,42 48,35 66,34 82,38 93,45 96,50 93,55 82,62 66,66 48,65 30,58",
                    "coat",
                    marks=(
                        Mark("40,43 44,46 40,49", "dark", 1.1),
                        Mark("40,51 44,54 40,57", "dark", 1.1),
                        Mark("52,41 56,45 52,49", "dark", 1.1),
                        Mark("52,51 56,55 52,59", "dark", 1.1),
                    ),
                ),
                Part(
                    "back fin",
                    "34,48! 46,46.5 60,47 64,50! 60,53 46,53.5 34,52!",
                    "dark",
                    tells=3.0,
                ),
                Part(
                    "head",
                    "74,36 84,39 93,45 96,50 93,55 84,61 74,64 78,50",
                    "coat",
                    tells=2.0,
                    marks=(*eye(86, 41.5, 3.0, "#fff3d2"), *eye(86, 58.5, 3.0, "#fff3d2")),
                ),
            ),
            tilt=40,
        ),
    ),
)
