# Fields and enumerators of public headers that have no comment: Doxygen leaves them out without a word.
FNR == 1 { within = 0 }
/^}/ { within = 0 }
within && /^ *\/\// { told = 1; next }
within && !/^ *(union|\{|\};|)$/ {
    if (!told && !/ \/\/ /) { print FILENAME ":" FNR ": no comment:" $0; failed = 1 }
    told = 0
}
/^\{/ && before ~ /^(typedef )?(struct|enum|union)/ { within = 1; told = 0 }
{ before = $0 }
END { exit failed }
