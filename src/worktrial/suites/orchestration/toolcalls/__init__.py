"""Call or refuse, and with which tool and arguments: the published score and the sound one."""
