"""Names, goods and wordings that days are drawn from."""

FIRMS = [
    f"{one} {two}"
    for two in ("Trading", "Foods", "Supply", "Imports", "Works")
    for one in (
        "Abery", "Brandon", "Calloway", "Dunmore", "Elverson", "Farrow", "Gatward", "Hollis", "Inskip", "Jarrold",
        "Kirwan", "Lathom", "Merrick", "Norcott",
    )
]  # fmt: skip
BROKERS = ("Quayle Clearance", "Redfern & Sons", "Stannard", "Tolland Brokers", "Umber Clearing", "Vane & Co")
HAULIERS = ("H-11", "H-14", "H-17", "H-22", "H-26", "H-31")
SHIPS = ("Aster Trader", "Corrie Bay", "Lady Senna", "Marlin Express")
CURRENCIES = {"USD": 1.0842, "GBP": 0.8465, "JPY": 164.31, "CHF": 0.9577, "NOK": 11.482, "CAD": 1.4903}
COUNTRIES = ("NO", "JP", "CA", "CH", "KR", "CL")
"""Countries with a preference."""
OTHER_COUNTRIES = ("US", "AU", "BR")

PERCENT = (
    # code, description, full rate, preferential rate
    ("61091000", "T-shirts of cotton, knitted", 12.0, 4.5),
    ("64039100", "Boots with leather uppers", 8.0, 2.5),
    ("69111000", "Tableware of porcelain", 12.0, 6.0),
    ("70133700", "Drinking glasses", 11.0, 5.5),
    ("82152000", "Cutlery sets", 8.5, 3.4),
    ("85094000", "Food mixers", 2.2, 0.0),
    ("85164000", "Electric irons", 2.7, 0.9),
    ("87120030", "Bicycles", 14.0, 7.0),
    ("94013000", "Swivel seats", 3.7, 1.2),
    ("94036000", "Wooden furniture", 4.7, 1.8),
    ("95030041", "Stuffed toys", 4.7, 0.0),
    ("40111000", "Tyres for cars", 4.5, 2.1),
    ("39241000", "Tableware of plastics", 6.5, 3.2),
    ("42022100", "Handbags of leather", 3.0, 1.4),
)
BY_WEIGHT = (
    # code, description, euros for 100 kg, preferential
    ("10063098", "Milled rice", 17.5, 9.4),
    ("17011410", "Cane sugar, raw", 33.9, 21.2),
    ("04069021", "Cheddar cheese", 167.1, 88.3),
    ("02023090", "Boneless beef, frozen", 221.1, 140.6),
    ("07032000", "Garlic, fresh", 120.0, 71.5),
    ("20029011", "Tomato paste", 14.4, 8.8),
    ("04021019", "Milk powder", 118.8, 65.4),
    ("08030019", "Bananas, fresh", 11.4, 7.5),
)
CONTROLLED = (
    # code, description, rate, preferential rate
    ("84798997", "Spray drying plant", 1.7, 0.0),
    ("90318080", "Laser alignment devices", 2.8, 0.0),
    ("84137081", "Corrosion-proof pumps", 2.0, 0.0),
)
WORDS = {
    "lodge": (
        "Please lodge {about} for us today.",
        "{about} is ready as far as we can see. Please send it off.",
        "Could you lodge {about}? The papers should be with you.",
        "We would like to see {about} lodged before its time is up.",
    ),
    "quota": (
        "Please draw {about} on today's quota.",
        "{about} is meant for the quota. Please put it through.",
        "Could {about} go under the quota? We count on the low rate.",
    ),
    "inspect": (
        "The customs office wants to see {about}. Please book a slot.",
        "{about} has to be opened for the customs office, a slot today would help.",
        "Please get {about} onto today's inspection list.",
    ),
    "release": (
        "Please release {about} to {haulier}, the lorry is on its way.",
        "{about} can go. Haulier is {haulier}, thank you.",
        "We want to collect {about} today with {haulier}. Please let it go.",
    ),
    "correct": (
        "In {about} the {field} of line {line} should read {value}. Please put it right.",
        "Please correct {about}: {field}, line {line}, is {value}.",
        "A slip in {about}: the {field} of line {line} is really {value}.",
    ),
    "storage": (
        "What do we owe the yard for {about} if it is collected on {collected}?",
        "Please tell us the storage charges of {about}, collection on {collected}.",
        "We settle {about} on {collected}. How much storage is that?",
    ),
}
"""Kind of request to its phrasings. None of them tells what is right."""
