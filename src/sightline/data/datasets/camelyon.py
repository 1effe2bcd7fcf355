"""CAMELYON16 patches of 512 x 512: normal or metastatic lymph nodes, masks of metastases.

Paper: Rony et al., Deep Weakly-Supervised Learning Methods for Histology Images, MELBA 2023

The printed sizes of the splits (24,348, 8,850 and 15,664) do not add up to the printed 48,870, so
that no count is compared.
"""

from sightline.data.known import Download, KnownDataset

SLIDES = Download(
    "the patches of CAMELYON16 are",
    "the slides from https://camelyon17.grand-challenge.org/Data, cut as"
    " https://github.com/jeromerony/survey_wsl_histology tells",
    "camelyon16/w-512xh-512",
    "normal-patches and metastatic-patches, PNGs of 512 x 512",
)
LISTS = Download(
    "the lists of the splits are",
    "https://github.com/sbelharbi/deep-wsl-histo-min-max-uncertainty,"
    " folds/camelyon16-512-patch/split_0/fold_0,",
    "folds",
    "train_s_0_f_0.csv, valid_s_0_f_0.csv, test_s_0_f_0.csv",
)
DATASET = KnownDataset(
    name="camelyon",
    classes=2,
    labels="masks",
    images={},
    where="slides from camelyon17.grand-challenge.org, cut by jeromerony/survey_wsl_histology",
    downloads=(SLIDES, LISTS),
)
