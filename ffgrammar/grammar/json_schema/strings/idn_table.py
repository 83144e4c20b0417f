"""The characters that IDNA 2008 allows in a label, and the properties that its rules use, for Unicode 18.0.0.

The table is made from the tables of RFC 5892 and the Unicode character database. Tests compare every code point with
these sources.
"""

from __future__ import annotations

import zlib
from base64 import b85decode
from functools import cache

from ffgrammar.regex.syntax.charset import Charset, from_ranges

__all__ = ["members"]

# The properties of the classes of characters from class 1 on; class 1 has none. The characters of class 0, which is not
# listed here, are not allowed in any label.
CLASSES = (
    "",
    "mark",
    "rtl",
    "an",
    "en",
    "neutral",
    "mark virama",
    "joins_after",
    "rtl joins_after",
    "rtl joins_before",
    "joins_after joins_before",
    "rtl joins_after joins_before",
    "mark transparent",
    "rtl transparent",
    "mark nsm transparent",
    "mark virama transparent",
    "mark nsm virama transparent",
    "greek",
    "neutral greek",
    "rtl hebrew",
    "mark nsm transparent hebrew",
    "cjk",
    "mark cjk",
)

# Runs of code points from 0 up. Each run is its length and then its class. The length has seven bits in a byte, the
# lowest first; the class is one byte. The runs are compressed by zlib and written in base 85.
RUNS = (
    "c-q}qJ&avP6+Y+8+`oDEz1jD6_rCRR*89A>-nC<|v+UZ54G~%}M6yz(A~7^55)DE^k&vLEz=`+~QbIuqLP!v$fF@Lt8)PH`1t8HtLlc@5QIv{`"
    "0`Z+Q^WLuiRu*7GD9)Sv?#!Gy|MQ)@LtF}lVw;xvX*_S!5;N5xe(2<ElzY58BzcJE%YFWf$sz1#&(21<YponvKYi~oRveB!TOL5ZbiR88ez=>e"
    "tZ$Oj-!=atHzZ|+nNSKZBX0ElkPagDMMq6!nt*teX<kRzaWulXLK~y{aPCezE?!2EWdylK`?UKX(zS?>(#G;{#l-(ModuP&ZO=9BEMf#nCbwA9"
    "%7UkIVTF3JAa2?DfM27c^`YM)^6)I}VhrAsw1}mERTSG%*s_^swnJJ8I3ZMsxiX3q#G8*2Lg89*+|FSR``aRTtZwqIw3EY%Mr!D_E=2J0HX{K$"
    "L)mV*USv0*;7+v-I9G^iq0V`{MPxe%Dk35oQj2j6w%-L8ebNh*I2JS?oYQxRG+R|6J3^~^B^^q<jhJ6bIU`Rp;}^tE>ga`sg3zd9jR+CQ5n$gr"
    "tifB<Y0Xi{W;vU3#A}S%Zdijvlz6BfVVUx1r}ar!=xJ0Umv84ZtpLW2oCtK2w0?+;iOQjYG!jwqVlVS)uvaVKl#fPrF_WkOr?gIG(i7rLt45<I"
    "noRf5>?j|z&TZNi@H|VUbvj#!c`mJmX3iw?R@0}s=8PPuRn0|D#eY#vlVm0Ag%~hCco*xe+1Tu#HB$eOi$=prb+a{+q&HdS^u(;wA%}3gKK%mo"
    "+?QmT#7l}PudEZKmsWisQ!Afk875EjOm=45cf=Y2HkjIV1da8EZ?caot*S$hoz83zDWz1e;{3kW*kr?~Hm<miD*5)zjs<8bKZhf0VFz$1rniah"
    "()gO-zs8Mfp{Mlh#6;?a<fpr-HGRF=mr*;4lpz+2`de7!_<K-mzCmooD|C)UEhShhf~=C*gO^LzCq#!usBi@-eC(UgAf+S^Azksbr#v9Z4WVl$"
    "n&f0j&u8;^>K=38LRa$hRb>(<2%|ZA9!7XyU&3*~U<Ex3nQE@!DbucMXkMSHp1o<QpM9^-7d3(ewZY=I(e-wl`4n@o@D`|~&-N;fwz%GdHobzL"
    "ffv@458@a3D=7m?#6X}k=D8l72bX0ojmKCcNz_M|a`vfDahjc5V`s3NKiK-d)&Buj?8RuA`2?qo<$jKJ9jh9#7l0a?*jiOM$(Gfk+G-44wq0V`"
    "$B<2`mNvP@dAg>?UPm86EHQuDa<Ff5Azoss+OzJ}Y}n#rl#mqSjZwGxF|*=2p9W(2u;03mj*1x~{IF9E{8^3y>3HY!eQ_x;rx^Z>paxhLcL>%y"
    "%=ys(?-qfHU&g}nmwLt}(9ah$Om%k{&d(rUi2(h72oB`)6sB8BwMaW13%h16^BCn~j7z@C7yA8Z5}$wt|AcJC)z95J>c_wg_IxJ^e_;GvhmM1#"
    "D^ZVMq6zQPTzA9Mt^MwRZoJOjYYkte3pn>Rz2zU{#fPZ2R>hzym;ZWCAW<u_#M9K2_wPpBf7!+L@m)-Ldq4l+(iWMHTjL+_d%&_`FG#AWbf|a1"
    "*zR}SEC|4P+Us#`_(S%1PSFx>JiWC>u{``95x0PJ1h-yKaYl7sZx_46B;QX869%N{0T?HqFeFyy83Ec*L|mua%eapdZ@b6#I3Y*Hb$TbW{a><g"
    "3_ZKE6xAw%<Dnuq$#j@H=U^?IJ97L2ZE(V_3Ei<_S3U9d7x=wTAy-)Q2xG7@J%fAqH*L;dE@>`aC3demgILR;`RqbSN&{Y}uk$N<v%kW$YS%4_"
    "UtB}V^=ZLEqSWgZknAMZZ^BJAU#G9K3UR^yp8*uO$os0AVW29*?~8E4TLP^*M1BqZnZH4$!&&H*&V$6kX81pL0o2f%`vlF~`+#07(6TE*TXY$t"
    "xC64jOtBy;hQ~T|U9{>HXsPEXcy^$T)P-qxMiKz^8tV@mee1M0)UGU^peOSw^R7=k?e22#$hqtLGF@|DqkUb`oU->`QHd{=+zCagko@mVkE_@K"
    "X5zFd1q&yw!!(p{&`iWt9K;S+378Bq+k=HY4r#&gacd|gHH>&CNeGvOSTWP2z`DeMT*Ea5;zO~(!i++3*-6cyg}XMheL8_^tzqKgCKm>Y(MT9b"
    "*9cVjwqXELc_@cnaA+(UJk}_%)-!vSavK1q4364DSo2aTxHkY6KYj!QC;tbWtf}M_LZYcqDdd=z&p^HfxtCePS4|r<O$2>cMYU%yw|=Qer2EH-"
    "HI<@38B*ldQvqg5ygvA^0@gZ%mC0T>i;H9pl#!FPo46zybR3#?26F?y!B8l5+lSL*1^RK_w${lkGDYV-!_?<;pD)U~Qc;pi7JyDyQfDZs;uvy9"
    "kEXK~-$Z&$y#a>bLU`eRt8>3zXTvRVX{uVko|KhTfm-l+#@267zY*A1hFn8s#rkmROFW|z4)uK0Uqm(!>of;PU*LY~!Sq`IF!eRyc;?SgLh30X"
    "ucHx)Cbf2(r#W>EW=Q>jfte*M8=X0*GOVw3ZRY+hoaQKZdT_9q(`w^c<~0-6-dX2oR?e2x4n{|{?FVda6q+Q9CzjLzpvl&}w5a7_-<nt`!OzhT"
    "Dt?#g*UZ0Ppcf(Ro3(ujC^_QB_~9Dj<F}q~UV;K`)Q=-5*8H13-Sjwo&EmYI=klmZYIN>$g`D@?+UJf%@R;W}9qm{j^scJ%G33#Cw1D1(ehN*z"
    "wxS2=Qtj+B%UHUW{&IykA^zv-D+u84S3ID7{?XIqQQs@8@k~FJ4sBhB8qlqx;3GV`0To?EuR8wbh`xl=`#88UW5EXTubXs1Z@u_k)CK)ir1>us"
    "Smz%DdJ0u^Ph&vQSnRB}#rVgX4rU*Wk~^j!e;yRLILMwp6nxP>6bz%-m>m8E9QKkKsEU={Dq5j_B`_(+p?VlS=bshg*#oPoQI_83)ZV5xP<O_{"
    "0!R3rB(9%bb4+ie;)4IPwBF+60fNT8u|x0tLAnY3cpawv-VV(7i;s4ZKJeX7Ht2U-T|qzlWcTg2gl=8uTi>}z{{#^8tUm"
)


@cache
def _ranges() -> list[list[tuple[int, int]]]:
    """The ranges of each class."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(len(CLASSES) + 1)]
    data = iter(zlib.decompress(b85decode(RUNS)))
    first = 0
    for byte in data:
        length = shift = 0
        while byte & 0x80:
            length |= (byte & 0x7F) << shift
            shift += 7
            byte = next(data)
        length |= byte << shift
        found[next(data)].append((first, first + length - 1))
        first += length
    return found


@cache
def members(name: str = "") -> Charset:
    """The characters that have a property; without a name, all characters that are allowed.

    The properties are "mark"; "virama"; the classes of the Bidi rule "rtl" (R, AL), "an", "en", "nsm" and "neutral"
    (ES, CS, ET, ON, BN); the joining types "joins_after" (L, D), "joins_before" (R, D) and "transparent" (T); and the
    scripts "greek", "hebrew" and "cjk" (Han, Hiragana, Katakana).
    """
    parts = [ranges for names, ranges in zip(CLASSES, _ranges()[1:], strict=True) if not name or name in names.split()]
    return from_ranges([pair for ranges in parts for pair in ranges])
