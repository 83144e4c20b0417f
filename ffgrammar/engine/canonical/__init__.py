"""The tokenizer's own tokens under a grammar.

A token may come only if the tokens so far, this one and perhaps further ones are together what the tokenizer makes of
some sentence. The rules of a tokenizer are on a lower floor (tokens/canonical). Here they are combined with the
grammar.

In reading order:

    token_history   the state of the rules after a matcher's tokens
    pending_prefix  configurations inside the pending bytes of a prompt
    token_walk      the walk over tokens that both the grammar and the rules allow
    choices         the tokens that may come at a place, whatever token stands before them
    steps           one byte further, and the bytes that may come next
    boundaries      whether the pre-token can end at a place
    reach           in which lexer states a pre-token can end
    tails           all texts that the rest of a pre-token can be, where they are few
    outlines        the tokens that can come next inside a pre-token, as the tails tell
    characters      the order in which printable ASCII characters are tried
    witnesses       short texts after which the pre-token can end
    route_lists     which tokens may come at a place, whatever token stands before them
    routes          which tokens can come after a token, place by place
    hints           tokens with which searches succeeded
    lookahead       whether the text can go on to a sentence so that its tokens stay as they are
    few_texts       the tokens that may come where the grammar leaves few texts
    notes           what is found out about lexer states, kept for all grammars
    doubts          tokens whose ending does not show that the pre-token can end
    surroundings    to which lexer states bytes lead near a state
    surveys         where tokens lead from a lexer state
    repeats         whether a sentence goes on, whatever values the text has
    fresh_strings   strings that are unlike all strings of the text
    common_followers  a few tokens that can follow nearly every token
    room            arrays as large as the vocabulary, for one mask at a time
    parts           canonical masks made from parts, where each token has to be looked at
    followers       lists of the tokens that can come next inside a pre-token, where few can
    leads           where the tokens of a configuration's mask lead
    groups          the tokens that a survey lists, by the outcome that they lead to
    single_tokens   what comes after one token
    inside          dead ends among the tokens that stay inside the lexeme
    dead_ends       tokens after which no sentence goes on
    spelled         tokens that begin to spell an unmergeable token
    sift_words      the bitwise AND by which a canonical mask is sifted
    masks           the canonical tokens that may come next
    forced          the bytes and tokens that must come next
    caches          the look-ahead and the masks that the matchers of one grammar share
    policy          what a matcher asks about its tokens
"""
