def generate(seed): pass
