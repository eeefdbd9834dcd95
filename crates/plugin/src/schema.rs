//! The JSON Schema of a tool's arguments, from their type.
//!
//! Owns its form: whole in itself, since not every model's provider follows references.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

pub(crate) fn of<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    if let Some(object) = schema.as_object_mut() {
        // The tool has a name and a description already.
        object.remove("title");
        object.remove("description");
        object.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    schema
}
