-- A JSON object as a table; empty for what is none.
local function rowOf(text)
  local ran, row = pcall(cjson.decode, text)
  return ran and type(row) == 'table' and row or {}
end
