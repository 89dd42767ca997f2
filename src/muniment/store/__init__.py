"""The only room that speaks SQL. Nothing leaves it but values of the model."""
