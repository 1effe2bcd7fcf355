"""Perch: a humped fish with dark bars, a spiny back fin and red fins below."""

from sightline.data.pond.anatomy import Mark, Part, Species, View, eye

SPECIES = Species(
    name="perch",
    coarse="fish",
    synset="n02556846",
    lemma="perch",
    coarse_synset="n02512053",
    background="sand",
    rests="hovers",
    coat=("#93a045", "#ece3a8", "#5f6e2c"),
    views=(
        View(
            "side",
            (
                Part(
                    "tail",
                    "16,48! 6,40 -8,32! -3,50! -8,68! 6,60 16,54!",
                    "#d8502c",
                    tells=2.0,
                    swing=9,
                    pivot=(16, 51),
                    marks=(
                        Mark("12,49 -2,39", "#98301a", 1.2),
                        Mark("12,53 -2,62", "#98301a", 1.2),
                    ),
                ),
                Part(
                    "back fin",
                    "34,34! 36,18! 43,23! 46,12! 52,18! 57,9! 61,16! 67,10! 70,18! 77,16! 78,28!"
                    " 56,30",
                    "dark",
                    tells=4.0,
                    marks=(
                        Mark("43,31 45,15", "coat", 1.1),
                        Mark("52,30 56,12", "coat", 1.1),
                        Mark("61,29 66,13", "coat", 1.1),
                        Mark("70,28 75,18", "coat", 1.1),
                    ),
                ),
                Part(
                    "belly fin",
                    "36,66! 32,80! 44,78 50,69!|62,70! 60,83! 70,80 73,69!",
                    "#e0452a",
                    tells=3.0,
                ),
                Part(
                    "body",
                    "12,51 24,42 40,31 58,26 74,28 88,37 92,54 80,67 60,72 40,68 24,59",
                    "coat",
                    marks=(Mark("34,64 52,68 70,67 88,58 78,69 60,73 44,70", "light"),),
                ),
                Part(
                    "bars",
                    "27,41! 31,38! 33,57! 29,57!|39,33! 44,30! 46,60! 41,58!|52,28! 58,26.5! "
                    "58,60! 53,60!|"
                    "66,27.5! 72,28! 70,58! 66,59!",
                    "#37421c",
                    tells=4.0,
                ),
                Part(
                    "head",
                    "78,30 90,37 101,48 103,54! 96,58 84,65 78,66 82,56 83,42",
                    "coat",
                    tells=2.0,
                    marks=(
                        Mark("102,54 95,55 91,54", "#4a4a18", 1.3),
                        *eye(91, 44, 3.3, "#f0d860"),
                    ),
                ),
                Part(
                    "side fin",
                    "78,56! 68,57 60,64! 70,68 79,63!",
                    "#e0742c",
                    swing=12,
                    pivot=(78, 58),
                ),
            ),
        ),
    ),
)
