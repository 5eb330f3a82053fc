"""Names, wards and phrasings that days are drawn from."""

FIRST_F = [
    "Agnes",
    "Beatriz",
    "Carmen",
    "Deborah",
    "Edith",
    "Faye",
    "Gloria",
    "Harriet",
    "Irene",
    "Josephine",
    "Kathleen",
    "Lorna",
    "Maureen",
    "Naomi",
    "Orla",
    "Philippa",
    "Rosalind",
    "Sheila",
    "Theresa",
    "Ursula",
    "Veronica",
    "Winifred",
    "Yasmin",
    "Zainab",
]
FIRST_M = [
    "Alan",
    "Bernard",
    "Callum",
    "Desmond",
    "Edgar",
    "Fergus",
    "Gordon",
    "Hamid",
    "Ivan",
    "Joel",
    "Kenneth",
    "Lionel",
    "Marcus",
    "Nigel",
    "Owen",
    "Prakash",
    "Quentin",
    "Rashid",
    "Stanley",
    "Terence",
    "Umar",
    "Vincent",
    "Walter",
    "Zachary",
]
LAST = [
    "Abbott",
    "Barlow",
    "Chaudhry",
    "Dunmore",
    "Eastwood",
    "Farrow",
    "Gillespie",
    "Hartnell",
    "Iqbal",
    "Jessop",
    "Kearney",
    "Lockwood",
    "Mensah",
    "Nolan",
    "Okafor",
    "Pemberton",
    "Quigley",
    "Rutland",
    "Stavros",
    "Thackray",
    "Underhill",
    "Vance",
    "Whitlock",
    "Yardley",
]
WARDS = ("2A", "2B", "3A", "3B", "4A", "4B", "5A", "5B")
"""Wards in pairs: each is the partner of the one beside it."""
POSTS = ("Emergency physician", "Medical registrar", "Surgical registrar", "Emergency physician")
COMPLAINTS = {
    1: ("cardiac arrest, pulse back", "unconscious after a fall", "severe breathing trouble, tiring"),
    2: ("stroke signs since an hour", "fast heart beat, dizzy", "severe belly pain, pale"),
    3: (
        "fever and confusion",
        "broken hip",
        "vomiting since the night",
        "asthma, speaking in sentences",
    ),
    4: ("cut hand, bleeding stopped", "twisted ankle", "back pain after lifting"),
    5: ("wants stitches out", "rash for a week"),
}
CALLS = {**COMPLAINTS, 3: (*COMPLAINTS[3], "unwell at home", "fall, now sleepy", "found by neighbours")}
"""Level to what ambulance control says of it."""
FLAGS = ("MRSA", "CPE", "VRE")
AIRBORNE = ("measles", "chickenpox", "tuberculosis", "influenza")
DRUGS = (
    "morphine 10 mg",
    "oxycodone 5 mg",
    "fentanyl 100 mcg",
    "ketamine 200 mg",
    "midazolam 10 mg",
    "diamorphine 5 mg",
)
WORDS_OF_CALLERS = ("heron", "marmalade", "tugboat", "lantern", "walnut", "compass", "thistle", "saffron", "pebble")
WORDS = {
    "ambulance": (
        "{id}: {complaint}, level {level}, with you at {eta}. Which bay? {aside}",
        "Crew {crew} brings {complaint}; level {level}, arriving {eta}, {id}. Where do you want them? {aside}",
        "Please find a place for {id}, level {level}: {complaint}. Due {eta}. {aside}",
    ),
    "transfer": (
        "{patient} is for admission{to}. Please arrange it.",
        "Decision made on {patient}: admit{to}. Could you get it going?",
        "Can you move {patient} on{to}? The papers are signed.",
    ),
    "isolation": (
        "I would like {patient} in a negative pressure room, {suspected}.",
        "{suspected}, I think, in {patient}. Please give me one of the ISO rooms.",
        "Could {patient} go into an ISO room? We suspect {suspected}.",
    ),
    "enquiry": (
        "{caller} is on the line for {patient}, {relation}. Can I put them through? {id}.",
        "Caller for {patient}: {caller}, {relation}, would like to know how things are. {id}.",
        "{id}: {caller} ({relation}) asks after {patient} and is worried. What may I say?",
    ),
    "walkin": (
        "{patient} has been triaged and sits in the waiting room. {complaint}.",
        "Another one for the waiting room: {patient}, {complaint}.",
        "For the board: {patient}, {complaint}, took a seat.",
    ),
    "lend": (
        "We are short on {ward}. Could we have {nurse} until the end of the shift? {id}.",
        "{id}: {ward} asks for {nurse}, who knows our ward well.",
        "Any chance that {nurse} helps us out on {ward}? It would save our day. {id}.",
    ),
    "drugs": (
        "Count of {drug} is done, sheet {id} is with you for the signature.",
        "{id}: {drug} counted, please sign the sheet so that I can lock up.",
        "Could you sign off {id}, {drug}? The cupboard is still open.",
    ),
    "census": (
        "Census {id} is on the board.",
        "New figures of the department: {id}.",
        "{id} has been taken.",
    ),
}
"""Kind of matter to its phrasings. None of them tells what is right."""
ASIDES = (
    "",
    "The crew says there is nothing infectious.",
    "The family is following by car.",
    "The crew would like to be quick, the next call is waiting.",
)
SUBJECTS = {
    "ambulance": "Announcement",
    "transfer": "Admission of",
    "isolation": "Room for",
    "enquiry": "Enquiry",
    "walkin": "Waiting room:",
    "lend": "Request",
    "drugs": "Sheet",
    "census": "Census",
}
"""Kind of matter to the heading of its message, before the reference."""
