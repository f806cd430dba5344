package approvalapi

// The bodies that tests read from the wire.
type (
	ItemList    = itemList
	GrantItem   = grantItem
	GrantList   = grantList
	PolicyItem  = policyItem
	PolicyList  = policyList
	Explanation = explanation
)
