-- Whether an argument is a whole number in a range. A text that was no number came out of tonumber as nil.
local function isWhole(number, least, most)
  return number and number >= least and number <= most and number % 1 == 0
end
