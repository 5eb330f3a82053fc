import pytest

from worktrial.suites.documents.answers.reply import our_final_answer

REPLIES = {
    "<FINAL_ANSWER> 5 </FINAL_ANSWER> trailing": "5",
    "<final_answer>7</final_answer> then <FINAL_ANSWER>5</FINAL_ANSWER>": "5",
    "<FINAL_ANSWER>1\n2</FINAL_ANSWER>": "1\n2",
    "<FINAL_ANSWER></FINAL_ANSWER>": "",
    "I add 2 and 3.\nAnswer: 5\nThat is all.": "5",
    "**Final answer:** 5": "5",
    "The answer is: 5.": "5",
    "Answer: 4\nNo, I slipped.\nAnswer: 5": "5",
    "Answer:\n\nOhio: 1\nTexas: 2\n\nSee page 7.": "Ohio: 1\nTexas: 2",
    "I add 2 and 3.\n\n5": "5",
    "They are:\n- Ohio\n- Texas": "- Ohio\n- Texas",
    "They are:\n1. Ohio\n2. Texas": "1. Ohio\n2. Texas",
    "$\\boxed{5}$": "5",
    "`5`": "5",
    "**5**.": "5",
    '"Ohio"': "Ohio",
    '"Ohio" and "Texas"': '"Ohio" and "Texas"',
    "the U.S.": "the U.S.",
    "\\$5 or 3\\%": "$5 or 3%",
    "": "",
    " \n ": "",
}


@pytest.mark.parametrize("reply", REPLIES)
def test_the_answer_of_a_reply(reply: str) -> None:
    assert our_final_answer(reply) == REPLIES[reply]


@pytest.mark.parametrize("reply", ["<FINAL_ANSWER>5", "<FINAL_ANSWER>4</FINAL_ANSWER> <FINAL_ANSWER>5"])
def test_a_tag_that_is_never_closed_leaves_no_answer(reply: str) -> None:
    assert our_final_answer(reply) is None
