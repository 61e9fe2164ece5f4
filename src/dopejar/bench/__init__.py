"""The measurements behind `dopejar bench`: what the program costs and how well its parts predict.

Takes: data sets that the caller names. Gives: figures, and predictions for an external scorer. Never: trains a shipped
artefact; that is the `training` folder of the source tree, and other measurements are its `benchmarks` folder.
"""
