// Package misc goes by another name than its folder.
package misc // want tree-package-name
