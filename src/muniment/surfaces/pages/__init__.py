"""The pages a person sees: Jinja2 templates without a line of script, and one style sheet of ours.

Whatever is put into a template is text: autoescape is on, and the policy of each page lets nothing else be loaded.
"""
