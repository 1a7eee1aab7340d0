"""Classes that stand in for those of other packages."""
