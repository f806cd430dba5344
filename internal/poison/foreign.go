package poison

// foreign holds the first words of the most dangerous instructions in other languages
// than English: to ignore the instructions, and to hide something.
var foreign = [...]pattern{
	{[]string{"ignorier", "vergiss", "missachte", "sag dem", "sagen sie"}, // German
		`\b(?:ignorieren?|vergiss|vergessen\ssie|missachten?)\s(?:sie\s)?(?:alle\s|die\s|deine\s|ihre\s|alles,?\s){0,2}(?:vorherigen|vorigen|bisherigen|obigen|früheren|was\s)|\bsag(?:en\ssie)?\s(?:es\s)?dem\s(?:benutzer|nutzer|anwender)\s(?:nichts|nicht)\b`},
	{[]string{"ignore", "ignorez", "oublie", "ne dis", "ne dites"}, // French
		`\b(?:ignore[zr]?|oublie[zr]?)\s(?:toutes\s|tous\s|les\s|tes\s|vos\s){1,3}(?:instructions|consignes|règles)\s(?:précédentes|antérieures|ci-dessus)|\bne\s(?:le\s)?(?:dis|dites)\s(?:rien|pas)\sà\sl'utilisateur\b`},
	{[]string{"ignora", "olvida", "digas", "diga "}, // Spanish
		`\b(?:ignor[ae]|olvid[ae])\s(?:todas\s|todos\s|las\s|los\s|tus\s|sus\s){1,3}(?:instrucciones|órdenes|reglas)\s(?:anteriores|previas)|\bno\s(?:se\s)?lo\sdigas?\sal\susuario\b`},
	{[]string{"ignore", "esqueça", "esquece", "não diga", "não conte"}, // Portuguese
		`\b(?:ignore|esqueça|esquece)\s(?:todas\s|todos\s|as\s|os\s|suas\s){1,3}(?:instruções|ordens|regras)\s(?:anteriores|acima|prévias)|\bnão\s(?:diga|conte)\s(?:isto\s|isso\s|nada\s)?ao\susuário\b`},
	{[]string{"ignora", "dimentica", "dire all", "dirlo all"}, // Italian
		`\b(?:ignora(?:re)?|dimentica(?:re)?)\s(?:tutte\s|le\s|tue\s){1,3}(?:istruzioni|regole)\s(?:precedenti|di\scui\ssopra)|\bnon\s(?:dire|dirlo)\s(?:nulla\s|niente\s)?all'utente\b`},
	{[]string{"игнорир", "забуд", "говори пользоват", "сообщай пользоват"}, // Russian
		`(?:игнорируй(?:те)?|забудь(?:те)?)\s(?:все\s|всё\s|эти\s|свои\s){0,2}(?:предыдущие|прежние|прошлые|предшествующие)|не\s(?:говори|сообщай)(?:те)?\sпользователю`},
	{[]string{"忽略", "无视", "無視", "忘记", "告诉用户", "告知用户"}, // Chinese
		`(?:忽略|无视|無視|忘记)(?:掉)?(?:所有|全部|一切)?(?:之前|以前|先前|以上|上述|前面|此前)的?(?:所有|全部)?(?:的)?(?:指令|指示|说明|规则|提示|命令)|(?:不要|别|切勿|请勿)(?:告诉|告知)用户`},
	{[]string{"無視", "忘れ", "ユーザー"}, // Japanese
		`(?:以前|これまで|上記|前|今まで)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト)を(?:すべて|全て)?(?:無視|忘れ)|ユーザーに(?:は)?(?:知らせ|伝え|言わ|教え)(?:ない|ては|るな)`},
	{[]string{"무시", "잊", "사용자에게"}, // Korean
		`(?:이전|앞선|위의|기존)(?:의)?\s?(?:모든\s)?(?:지시|지침|명령|규칙|프롬프트)(?:사항)?(?:을|를|은|는)?\s?(?:모두\s|전부\s)?(?:무시|잊)|사용자에게\s?(?:이것을\s|이를\s)?(?:알리지|말하지|보여주지)\s?(?:마|말)`},
	{[]string{"تجاهل", "لا تخبر"}, // Arabic
		`تجاهل\s(?:جميع\s|كل\s)?(?:التعليمات|الأوامر|القواعد)\s(?:السابقة|أعلاه)|لا\sتخبر\sالمستخدم`},
	{[]string{"अनदेखा", "नज़रअंदाज", "उपयोगकर्ता को"}, // Hindi
		`(?:पिछले|पहले\sके|उपरोक्त)\s(?:सभी\s)?(?:निर्देशों?|आदेशों?|नियमों?)\sको\s(?:अनदेखा|नज़रअंदाज)|उपयोगकर्ता\sको\s(?:मत|न)\s(?:बताएं|बताना|बताओ)`},
}
