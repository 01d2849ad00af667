package report

// Colours are told apart also by those who see few of them (Okabe and Ito, 2008).
var Colours = [...]string{"#0072b2", "#d55e00", "#009e73", "#a15c8a"}
