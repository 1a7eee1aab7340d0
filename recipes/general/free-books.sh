#!/bin/sh
# Writes the lines of data/train-de-en-more/books-* whose authors and translators died before 1956, so that they are in the public domain in the United
# States and in the European Union (models/sources.md): recipes/general/books/NAME.{en,de}.gz. The files have one book after the other.
#   recipes/general/free-books.sh
set -eu
cd "$(dirname "$0")"
text=../../data/train-de-en-more
mkdir -p books
free() { # NAME LINES-OF-sed
    for language in en de; do
        zcat "$text/books-$1.$language.gz" | sed -n "$2" | gzip -n > "books/$1.$language.gz"
    done
}
free history '1,$p'                                                  # Mommsen
free novels '1,2597p; 4966,9972p; 18843,23060p; 33455,39725p'        # Bonsels, Carroll; Wilde; Freytag, Bilse; Goethe's Wilhelm Meister, Richthofen
free essays '914,5344p; 5962,10517p'                                 # Freud's Traumdeutung; Freud, Haeckel, Schopenhauer
free drama '1160,$p'                                                 # Lessing, Ibsen
free philosophy '4869,9542p'                                         # Nietzsche's Jenseits and Menschliches, Kant
free more '6425,6980p'                                               # Chamisso
