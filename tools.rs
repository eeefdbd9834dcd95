pub fn check_arguments(_s:&Value, a: Map<String,Value>) -> Result<Map<String,Value>, String> { Ok(a) }
pub fn builtin_tools() -> Vec<Arc<dyn Tool>> { vec![] }
