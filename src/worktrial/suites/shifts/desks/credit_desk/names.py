"""Words that days at the credit desk are drawn from. How a request is worded says nothing about what is right."""

from collections.abc import Mapping, Sequence

FIRST = (
    "Agnes", "Bruno", "Carla", "Dario", "Edith", "Felix", "Greta", "Henrik", "Ines", "Jonas", "Katrin", "Leon",
    "Mara", "Niels", "Olga", "Pavel", "Rosa", "Stefan", "Thea", "Viktor", "Wanda", "Yves", "Zora", "Emil",
)  # fmt: skip
LAST = (
    "Abel", "Brandt", "Costa", "Dreyer", "Ekman", "Falk", "Gruber", "Holm", "Ivers", "Jansen", "Keil", "Lund",
    "Moreau", "Nowak", "Orlow", "Petrov", "Quint", "Rossi", "Sorel", "Thal", "Ullmann", "Vogel", "Weiss", "Zell",
)  # fmt: skip
COMPANY = (
    "Alder", "Birk", "Corvin", "Delmar", "Esker", "Fjord", "Garnet", "Harrow", "Isar", "Juno", "Kiruna", "Larch",
    "Merlin", "Nordic", "Oriel", "Pollux", "Quarry", "Rowan", "Sable", "Tarn", "Umber", "Vesper", "Wels", "Zephyr",
)  # fmt: skip
TRADE = ("Foods", "Logistics", "Paper", "Tools", "Textiles", "Plastics", "Timber", "Metals", "Medical", "Energy")
MANAGERS = {
    "rm_adler": "Corinna Adler",
    "rm_bisset": "Marc Bisset",
    "rm_chan": "Lydia Chan",
    "rm_duarte": "Tomas Duarte",
    "rm_eriks": "Sanna Eriks",
}
PARTIES = {
    "x_audit_1": ("Gerrit Pell", "auditor", "Harcourt Pell Audit"),
    "x_audit_2": ("Nadia Stroud", "auditor", "Stroud and Finch"),
    "x_bank_1": ("Luc Tessier", "credit department", "Banque Tessier"),
    "x_buyer_1": ("Hanna Oberlin", "acquisitions", "Oberlin Partners"),
    "x_guarantor_1": ("Kurt Amsel", "treasury", "Amsel Holding"),
    "x_guarantor_2": ("Irene Falster", "treasury", "Falster Surety"),
    "x_parent_1": ("Sven Carlow", "group treasurer", "Carlow Industries"),
}
PURPOSES = ("wages", "taxes", "suppliers", "investment", "refinancing")
WORDS: Mapping[str, Sequence[str]] = {
    "drawdown": (
        "Please let us have EUR {amount} under {facility}, value {value}. Our reference is {reference}.",
        "We draw EUR {amount} from our line {facility}, to be with us on {value} (reference {reference}).",
        "Kindly credit EUR {amount} to our account with value {value}, facility {facility}, our {reference}.",
        "Notice of drawing {reference}: EUR {amount}, facility {facility}, value date {value}. Thank you.",
    ),
    "certificate": (
        "Please find our compliance certificate on {facility}. The ratio comes to {claimed} as we see it.",
        "The figures for {facility} are with you now; by our reckoning the ratio is {claimed}.",
        "Our quarterly certificate for {facility} is filed. We make it {claimed}.",
    ),
    "waiver": (
        "We ask you to waive the covenant under {facility} for this quarter.",
        "As talked about with {manager}, we need a waiver on {facility} for the quarter that ends today.",
        "Could the bank refrain from the covenant of {facility} for one test date, please?",
    ),
    "collateral": (
        "We would like to have {item} back; it is pledged under {facility} and hardly needed there.",
        "Please release {item}, held for {facility}. There is cover enough without it.",
        "For a sale we need {item} free of your pledge under {facility}.",
    ),
    "inquiry": (
        "We are writing for {party}. Please confirm what {customer} has drawn under {facility} today.",
        "{party} asks for a confirmation of the utilisation of {facility} ({customer}) as of today.",
        "May we have, on behalf of {party}, the amount outstanding of {customer} under {facility}?",
    ),
    "fee": (
        "Please charge the commitment fee of the quarter on {facility} and tell us the amount.",
        "What is the commitment fee on {facility} this quarter? We would like to book it today.",
        "We close our books today and need the quarter's commitment fee on {facility}.",
    ),
}
