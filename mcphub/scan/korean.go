package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/mcphub/scan/internal/clause"
)

// koreanFrame is a shape of demand in Korean: stems in this order within one sentence, with |
// between those of one place. Particles and endings follow the stems, so that parts of words
// are compared.
type koreanFrame struct {
	rule  string
	is    feature
	order bool // only in a sentence that orders, and does not forbid
	stems []string
}

const (
	koreanSecret = "비밀번호|개인 키|비밀 키|인증번호|토큰|쿠키|자격 증명|카드 번호|주민등록번호|진료 기록|.env|~/.|/etc/|/var/|환경 변수"
	koreanGive   = "전송하|전송해|보내|전달하|전달해|업로드하|업로드해|넘겨|넘기|제출하|제출해|보고하|보고해|담아|포함하|포함해|입력하|저장하"
	koreanHidden = "알리지|말하지|언급하지|알려 주지|알려주지|보여 주지|보여주지|숨기|숨겨|몰래|모르게"
)

var koreanFrames = []koreanFrame{
	{ruleConceal, fConceal, false, []string{"사용자|고객", koreanHidden}},
	{ruleConceal, fConceal, false, []string{"언급하지 마|말하지 마|알리지 마|숨기세요|비밀로"}},
	{ruleOverride, fOverride, false, []string{"이전|기존|앞의|위의|지금까지", "지시|규칙|명령|지침", "무시|잊"}},
	{ruleOverride, fOverride, false, []string{"이제부터|지금부터", "당신은|너는"}},
	{ruleConsent, fConsent, false, []string{"승인|확인|동의|허락", "필요하지 않|필요 없|묻지|없이|생략"}},
	{ruleConsent, fConsent, false, []string{"자동 승인|자동으로 승인|이미 동의|묻지 않게"}},
	{ruleSolicit, fSolicit, true, []string{"사용자|고객", koreanSecret, "물어|받아|받으|요청하|입력하게"}},
	{ruleSecret, fHarvest, false, []string{"대화|시스템 프롬프트", koreanGive}},
	{ruleSecret, fHarvest, true, []string{koreanSecret, "읽|가져오|가져와|추출|꺼내|입력하|전달|찾아"}},
	{rulePass, fOutside, true, []string{"모든|모두|전체|원본|마다|나면|내용|개인정보|전화번호|주소|연락처", koreanGive}},
	{rulePropagate, fPropagate, true, []string{"모든|각", "파일|문서|노트", "복사|넣|삽입|붙여"}},
	{ruleShadow, fInstead, false, []string{"대신", "이 도구|본 도구|이것", "사용하|쓰"}},
	{ruleShadow, fOtherBad, false, []string{"다른|기존", "도구|서비스", "부정확|안전하지 않|사용하지 말|쓰지 말|오래된|믿을 수 없"}},
	{rulePrecedence, fFirstOfAll, false, []string{"모든|어떤|다른|매번|마다", "전에|앞서", "이 도구|본 도구|이 함수"}},
	{rulePrecedence, fFirstOfAll, false, []string{"모든|어떤", "작업|답변|요청|대화|질문", "호출로 시작|먼저 호출|호출로 시작해"}},
	{rulePrecedence, fBots, true, []string{"규정|지침|정책|법률|명령", "따라|의해|의하여", koreanGive}},
	{ruleTamper, fAlters, true, []string{"마다|항상|모든|때는|때에는|다른 도구", "변경|추가|바꾸|바꿔|늘려|늘리|줄여|줄이|두 배|교체|수정하"}},
	{ruleHarm, fGuardOff, true, []string{"마다|후에는|뒤에는|나면|자동|모두", "삭제하|삭제해|취소하|취소해|결제하|결제해|구매하|구매해|신청하|신청해|이체하|이체해|해지하|해제하"}},
	{ruleHarm, fRunRemote, false, []string{"curl|wget|http|powershell", "실행"}},
}

// korean returns the sentence as text if it is written in Korean; else it is empty.
func (v *view) korean() string {
	found := false
	for i := range v.s.Tokens {
		if text := v.s.Tokens[i].Text; text[len(text)-1] >= utf8.RuneSelf { // the last letter, which a particle has too
			if r, _ := utf8.DecodeLastRuneInString(text); unicode.Is(unicode.Hangul, r) {
				found = true
				break
			}
		}
	}
	if !found {
		return ""
	}
	var b strings.Builder
	for i := range v.s.Tokens {
		b.WriteString(v.s.Tokens[i].Text + " ")
	}
	return b.String()
}

// contains reports that the stems are found in their order.
func (f *koreanFrame) contains(text string) bool {
	for _, stem := range f.stems {
		at := -1
		for word := range strings.SplitSeq(stem, "|") {
			if i := strings.Index(text, word); i >= 0 && (at < 0 || i+len(word) < at) {
				at = i + len(word)
			}
		}
		if at < 0 {
			return false
		}
		text = text[at:]
	}
	return true
}

// koreanDemands returns what a Korean sentence demands, as one demand.
func (v *view) koreanDemands() (demand, bool) {
	text := v.korean()
	if text == "" {
		return demand{}, false
	}
	orders := containsAny(text, "세요 ", "십시오 ", "해야 ", "시오 ", "야 합니다", "하라 ") && !containsAny(text, "마세요", "마십시오", "않았는지", "안 됩니다")
	var found [featureCount]bool
	rule := ""
	for i := range koreanFrames {
		if f := &koreanFrames[i]; (!f.order || orders) && f.contains(text) {
			found[f.is] = true
			if rule == "" {
				rule = f.rule
			}
		}
	}
	if rule == "" && orders && v.named && !v.sibling && containsAny(text, "호출", "실행") {
		rule = ruleDivert
	}
	if rule == "" {
		return demand{}, false
	}
	d := v.weigh(rule, 0, 0, len(v.s.Tokens), clause.Orders)
	found[fKorean] = true
	for f, ok := range found {
		if f := feature(f); ok && f != kinds[rule] {
			d.features = append(d.features, f)
			d.points += weights[f]
		}
	}
	return d, true
}

func containsAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
