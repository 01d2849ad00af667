package apps // want tree-package-doc
