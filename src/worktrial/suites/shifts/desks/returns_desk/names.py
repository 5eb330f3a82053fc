"""Names, models and words that days are drawn from."""

LAST = tuple("김이박최정강조윤장임한오서신권황안송류홍")
FIRST = (
    *("가람", "나래", "다온", "라희", "마루", "보람", "새봄", "아람", "자영", "찬솔"),
    *("하늘", "민서", "지후", "서윤", "도현", "예린", "시우", "유진", "건우", "수빈"),
    *("은채", "태오", "주원", "다은", "현우", "소율", "재민", "채원", "동하", "미르"),
)
COMPANIES = ("한울교육", "가온설계", "솔빛의원", "두메물류")
CONTRACT_COMPANY = "한울교육"

CATEGORIES = {
    "노트북": "notebook",
    "태블릿": "tablet",
    "TV": "tv",
    "이어폰": "earphones",
    "카메라": "camera",
    "생활가전": "appliance",
}
"""Category to its name in the day's figures."""
MODELS = (
    # sku, name, category, large, months of warranty, lowest and highest price in thousands of won
    ("NB-14", "누리북 14", "노트북", False, 12, 780, 1290),
    ("NB-16", "누리북 16 프로", "노트북", False, 24, 1480, 2190),
    ("TB-11", "펼침 패드 11", "태블릿", False, 12, 390, 690),
    ("TB-08", "펼침 패드 8", "태블릿", False, 12, 219, 349),
    ("TV-55", "한빛 TV 55", "TV", True, 24, 690, 980),
    ("TV-75", "한빛 TV 75", "TV", True, 24, 1490, 2350),
    ("EP-02", "소리샘 버즈", "이어폰", False, 12, 129, 219),
    ("EP-05", "소리샘 넥", "이어폰", False, 12, 79, 149),
    ("CM-M1", "담아 M1", "카메라", False, 12, 290, 470),
    ("CM-X2", "담아 X2", "카메라", False, 12, 590, 890),
    ("CM-A7", "담아 A7", "카메라", False, 24, 1290, 1980),
    ("WM-12", "맑은 세탁기 12", "생활가전", True, 24, 560, 890),
    ("RF-32", "서리 냉장고 320", "생활가전", True, 24, 720, 1190),
    ("AP-20", "숨결 청정기 20", "생활가전", False, 12, 180, 340),
)
RECALLABLE = ("TB-11", "AP-20", "EP-02", "TB-08")
"""Models of which a lot may be recalled, and which are exchanged today."""

SYMPTOMS = {
    "노트북": ("전원이 안 켜짐", "화면 줄무늬", "키 입력 안 됨"),
    "태블릿": ("터치 안 됨", "충전 안 됨", "화면 깜박임"),
    "TV": ("화면 줄무늬", "소리 안 남", "전원 꺼짐"),
    "이어폰": ("한쪽 소리 안 남", "충전 안 됨", "연결 끊김"),
    "카메라": ("초점 안 맞음", "렌즈 걸림", "셔터 안 눌림"),
    "생활가전": ("소음 심함", "전원 꺼짐", "작동 중 멈춤"),
}
HAZARDS = {"TV": ("발열", "타는 냄새"), "생활가전": ("누수", "타는 냄새", "발열")}
"""Category to the symptoms for which a large machine is fetched first."""
WINDOWS = ("13-15", "15-17", "17-19", "19-21")

WORDS = {
    "return": (
        "{model} 반품하고 환불받고 싶습니다. 주문번호 {order}입니다. 절차대로 부탁드립니다.",
        "주문 {order} {model} 환불 요청드려요. 다음 주에 여행을 가서 그 전에 처리되면 좋겠습니다.",
        "{order} 건 {model} 돌려보내려고 합니다. 결제했던 금액 그대로 환불해 주세요.",
        "{model} 환불 부탁드립니다. 문제없이 처리될 거라고 들었습니다. 주문번호는 {order}입니다.",
    ),
    "exchange": (
        "주문 {order} {model}, 같은 제품 새것으로 바꿔 주세요.",
        "{model} 교환 신청합니다. 재고가 있으면 바로 보내 주시면 좋겠어요. 주문번호 {order}.",
        "{order} {model} 교환 원합니다. 되도록 빨리 부탁드려요.",
    ),
    "repair": (
        "{model} 고장입니다. 무상으로 고쳐 주세요. 주문번호 {order}, 산 지 얼마 안 됐습니다.",
        "주문 {order} {model} 수리 맡겼습니다. 보증 기간이니 비용은 없는 걸로 알고 있습니다.",
        "{model} 수리 부탁드려요. 떨어뜨린 적은 없습니다. 주문번호 {order}입니다.",
    ),
    "pickup": (
        "{model} 반품 수거 오늘로 잡아 주세요. 주문번호 {order}, 집에 있는 시간은 접수에 적었습니다.",
        "주문 {order} {model} 오늘 꼭 가져가 주셨으면 합니다. 자리를 많이 차지하네요.",
        "{model} 수거 기사님 오늘 와 주실 수 있나요? {order} 건입니다.",
    ),
}
"""Kind of request to its phrasings. None of them tells what is right."""
REASONS = ("변심", "불량", "오배송")
CHANNELS = ("전화", "온라인", "매장")
