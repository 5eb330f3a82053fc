"""Names, places, goods and words that days are drawn from."""

FIRST = [
    "Agnes", "Albin", "Arne", "Barbro", "Birger", "Bodil", "Carin", "Dagny", "Disa", "Edvin", "Egil", "Elsa",
    "Embla", "Ester", "Filip", "Folke", "Frida", "Gerda", "Gunnar", "Halvar", "Hedda", "Hilma", "Holger",
    "Inga", "Isak", "Ivar", "Jorun", "Kalle", "Karl", "Kersti", "Liv", "Ludvig", "Maj", "Malte", "Nils", "Oda",
    "Olof", "Otto", "Ragna", "Rune", "Saga", "Sigrid", "Signe", "Sixten", "Sten", "Svea", "Tage", "Tekla",
    "Thora", "Torsten", "Tuva", "Ulf", "Vera", "Vidar", "Viggo", "Yngve",
]  # fmt: skip
LAST = [
    "Aune", "Berglund", "Birkeland", "Brattli", "Dahlin", "Eklund", "Engstrom", "Fjeld", "Forsberg", "Granlund",
    "Gronli", "Haugen", "Hedlund", "Holmen", "Isaksen", "Kallio", "Kvist", "Lien", "Lundby", "Mattila", "Moen",
    "Myhre", "Nordli", "Nylund", "Oberg", "Palmer", "Rask", "Rinne", "Rudd", "Salo", "Sandvik", "Skaug",
    "Solheim", "Strand", "Sundell", "Tangen", "Thorsen", "Torp", "Vang", "Vestby", "Viken", "Wik", "Ygland",
    "Ostby",
]  # fmt: skip
DEPOTS = ("Aldern", "Birkholt", "Carrow", "Dunmoor", "Eskby", "Farrand", "Greywater", "Holmsund")
PLACES = [
    "Abbot's Cross", "Ashgill", "Barrowden", "Beck End", "Blackmere", "Brough Hill", "Calder Mouth",
    "Cold Ferry", "Crag Side", "Dale Head", "Deepdale", "Elterwater", "Fallow Bridge", "Fernhow", "Gillsland",
    "Glaramoor", "Hag Bank", "Harrop", "Hawkside", "High Lorne", "Ingle Wood", "Kentmoor", "Kirkstone",
    "Langrigg", "Leven Fold", "Low Tarn", "Marton Green", "Mosedale", "Nether Wray", "Norrbeck", "Oxenthwaite",
    "Patter Dale", "Quarry Bank", "Raven Scar", "Rydal Gate", "Saltholme", "Seathwaite", "Skelwith",
    "Stair Foot", "Swindale", "Thirlmoor", "Troutmere", "Ullock", "Wasdale", "Whin Fell", "Winster", "Wythop",
    "Yewdale",
]  # fmt: skip
CUSTOMERS = (
    # name, paper of the handbook with its extract, penalty
    ("Corvenna Pharma", "K-1", True),
    ("Halden Vaccines", "K-1", True),
    ("Polar Pantry", "K-2", True),
    ("Nordbrod Bakeries", "K-2", False),
    ("Ostermark Instruments", "K-3", True),
    ("Lumen Glassworks", "K-3", False),
    ("Tarnfield Chemicals", "standard", True),
    ("Granit & Sons", "standard", False),
    ("Vidar Timber", "standard", False),
    ("Melkveg Dairies", "standard", True),
    ("Kobalt Tools", "standard", False),
    ("Sundby Furniture", "standard", False),
    ("Rask Building Supplies", "standard", True),
    ("Havn Seafood", "standard", True),
    ("Northline Papers", "standard", False),
    ("Brae Hospital Supply", "standard", True),
    ("Kestrel Paints", "standard", False),
    ("Fjord Feed", "standard", False),
)
CARRIERS = (
    # name, certified for medical goods
    ("Bergen Brothers", True),
    ("Whitecap Freight", False),
    ("Stenvik Transport", True),
    ("Quickstep Logistics", False),
)
BARRED_CARRIER = "Quickstep Logistics"
"""The carrier that the extract K-2 excludes."""
GOODS = {
    "medical": ("infusion sets", "insulin", "vaccines", "dialysis fluid"),
    "frozen": ("frozen vegetables", "ice cream", "frozen fish", "frozen bread"),
    "hazardous": ("solvents", "paint thinner", "caustic soda", "heating oil"),
    "general": ("furniture", "machine parts", "paper rolls", "roof tiles", "animal feed", "canned food"),
}
SITES = (
    "Works",
    "Central Store",
    "Cash and Carry",
    "Hospital Store",
    "Builders' Yard",
    "Cold Store",
    "Market Hall",
)
WORDS = {
    "assign": (
        "{load} leaves at {departs} without a driver so far. {name} is here and has the hours, please put them on.",
        "{name} could take {load} with {truck}. The hours are fine, the sum has been done.",
        "Can you assign {name} to {load}, departure {departs}? They say it works out with the time.",
    ),
    "dock": (
        "{load} has to be unloaded here because of the snow. We need a dock between {first} and {last}.",
        "Dock wanted for {load}, any time from {first} to {last}. It is pressing.",
        "Could we have a dock at Aldern for {load}? The truck can stand there from {first}, at the latest {last}.",
    ),
    "breakdown": (
        "A lorry of yours stands on {road} at kilometre {km}, {fault}. Report {id}.",
        "Truck down on {road}, kilometre {km}: {fault}. I have put it in as {id}.",
        "Breakdown {id}: {road}, about kilometre {km}. {fault}, nothing moves. Please send somebody.",
    ),
    "recovery": (
        "The heavy vehicle is back and can leave for {one} or for {other}. Which of them first?",
        "We could start for {one} now, and do {other} this afternoon. Or the other way round. Please say.",
        "Both {one} and {other} are waiting for the heavy vehicle. It is one vehicle. Where shall it go?",
    ),
    "closure": (
        "{road} is closed, I was turned round at the barrier. Please put it on the board.",
        "Nobody gets through on {road} any more, it is shut. Mark it for the others.",
        "They have closed {road} because of the drifts. You should take everybody off it.",
    ),
    "handover": (
        "{carrier} has a free trailer in the yard and could take {load} over at once. Shall I let them?",
        "{load} would be there in time with {carrier}. Please hand it over.",
        "I suggest that {carrier} runs {load} today, they go there anyway. All I need is your word.",
    ),
    "cancel": (
        "Please cancel {load}, it is not needed any more.",
        "{load} can be cancelled, we have changed our plans for today.",
        "With this weather we would rather not have {load} at all. Cancel it, please.",
    ),
    "details": (
        "Where is {load} and when does it arrive? Please let me have the tracking.",
        "I am waiting for {load}. Could you send me the tracking link?",
        "Could I get tracking for {load}? We have to plan the people at the ramp.",
    ),
    "extension": (
        "The snow has cost me the morning. May I drive {minutes} minutes longer today to bring {load} in?",
        "I need {minutes} minutes beyond my limit for {load}, then I am there. All right?",
        "Held up by the ploughs. With {minutes} minutes extra I could finish {load}. Please enter it.",
    ),
    "relief": (
        "{load} leaves {depot} at {departs} and its driver is snowed in. It needs somebody from the relief list.",
        "Please find a driver for {load}, departure {departs} from {depot}. It is about relief.",
        "The driver of {load} ({depot}, {departs}) cannot get here. Would you get one from the relief list?",
    ),
    "fuel": (
        "I need {litres} litres of AdBlue for {truck} before I go on with {load}. Please release the pump.",
        "AdBlue lamp is on. {litres} litres at {depot} for {truck}, load {load}, please.",
        "Pump at {depot}: {litres} litres of AdBlue for {truck} with {load}, thanks.",
    ),
}
"""Kind of request to its phrasings. None of them tells what is right."""
BULLETINS = {
    "chains": (
        "Bulletin: chains are ordered for lorries on {road} until further notice.",
        "{road}: snow chains for all goods traffic from now on.",
    ),
    "open": (
        "Bulletin: {road} is open again without restrictions.",
        "{road}: the order of this morning is lifted.",
    ),
}
"""What the road authority orders, to its phrasings."""
TAKEN_BACK = (
    "We take our consent for {load} back. It is to go with you alone.",
    "About {load}: what we have signed for another carrier does not hold any more.",
)
FAULTS = (
    "engine out",
    "gearbox",
    "no brakes",
    "off the road with one axle",
    "frozen fuel",
    "jackknifed in the snow",
)
