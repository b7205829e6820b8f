# contrib: what users copy: schema, completion, examples.
