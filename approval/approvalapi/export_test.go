package approvalapi

// Bodies of responses.
type (
	ItemList    = itemList
	GrantItem   = grantItem
	GrantList   = grantList
	PolicyItem  = policyItem
	PolicyList  = policyList
	Explanation = explanation
)
