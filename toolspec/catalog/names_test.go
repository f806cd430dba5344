package catalog_test

// The names that the specification's catalogue has (section 15), by what they
// may do, and those that are ours beside them.
var groups = map[string][]string{
	"examples": {"extractPageContent", "getCurrentTime", "getWeather", "googlePseSearch", "openaiResponseGenerator", "sendSlackMessage",
		"sendEmail", "addToCalendar", "showLocation", "requestFileUpload"},
	"cards": {"renderChart", "renderCandlestick", "renderHeatmap", "renderSankey", "renderFunnel", "renderTreemap", "renderGraph", "renderWindRose",
		"renderChoropleth", "renderGeoHeat", "plotPointsOnMap", "renderTimeline", "renderDiagram", "renderTable", "renderStatCards", "renderComparison",
		"renderDiff", "showImage"},
	"pure": {"timezoneConvert", "dateDiff", "dateMath", "parseDate", "formatDate", "cronNext", "urlEncode", "diffText", "sortLines", "regexExtract",
		"regexReplace", "stats", "evalExpression", "piiDetect", "secretPatternDetect", "formatCsv"},
	"builtins": {"base64", "hex", "uuid", "hash", "hmac", "secureRandom", "passwordGenerate", "jwtDecode", "jwtVerify", "parseCsv"},
	"reading": {"listAllowedDirectories", "readTextFile", "listDir", "statFile", "lineCount", "sliceFile", "sortFile", "cutFileFields", "grepFile",
		"findFiles", "searchInFiles"},
	"writing":     {"writeTextFile", "appendTextFile", "editTextFile", "copyFile"},
	"destructive": {"moveFile", "deleteFile", "deleteDir"},
	"global": {"getGithubRepo", "getGithubUser", "listGithubRepoIssues", "listGithubRepoReleases", "getGithubLatestRelease", "getGithubFileContent",
		"searchGithubRepos", "listGithubRepoContributors", "searchWikipedia", "searchHackerNews", "searchStackOverflow", "searchArxiv", "getCryptoPrice",
		"convertCurrency", "getIpInfo", "getCountryInfo", "geocodeAddress", "getSunriseSunset", "getRecentEarthquakes", "getOpenMeteoForecast", "getPublicHolidays"},
	"korea": {"getUpbitTicker", "listUpbitMarkets", "getUpbitCandles", "getUpbitOrderbook", "getBithumbTicker", "getBithumbOrderbook", "searchKpopOnItunes",
		"searchKBeautyProducts"},
	"koreaKeyed": {"searchNaver", "searchKakaoLocal", "callDataGoKrOpenApi", "getKmaShortTermForecast", "getAirKoreaPm", "getApartmentTradePrice",
		"getKrxStockPrice", "getKoficBoxOffice", "getKamisAgriPrice", "getKoreaEmergencyAlerts", "searchKoreaTour", "searchKoreaDrugInfo", "searchSeoulCulturalEvents"},
	"ours": {"csvSummary", "jsonPathQuery", "markdownTable", "passwordStrength", "unitConvert"},
}

// groupOf finds the group of a name.
func groupOf(name string) string {
	for group, names := range groups {
		for _, n := range names {
			if n == name {
				return group
			}
		}
	}
	return ""
}
