package source

// FileColumn is the file that a row comes from, as queries name it: the path below the folder of the source.
const FileColumn = "_file"

// File says what the newest batch of a FileReader is.
type File struct {
	// Name of the file that all rows of the batch come from. It takes the place of the topic in coordinates, and _offset
	// is a position in the file: a byte of its text, or a row.
	Name string
	// Columns: the rows are columns already. The batch then has, from FirstColumn on, those that the source was asked for, and
	// _value and _key are NULL.
	Columns bool
}

// FileReader is a Reader of files.
type FileReader interface {
	Reader
	// File describes what Next returned last.
	File() File
}
