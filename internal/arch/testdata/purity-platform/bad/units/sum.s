// want purity-platform
