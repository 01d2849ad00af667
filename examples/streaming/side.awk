# user TAB name, or user TAB page, becomes user TAB side TAB name or page.
BEGIN { FS = OFS = "\t"; side = ENVIRON["mapreduce_map_input_file"] ~ /users[^\/]*$/ ? 0 : 1 }
{ print $1, side, $2 }
