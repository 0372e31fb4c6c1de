/** The address of a tab. What it shows is drawn by the page below, which stays when the tab changes. */
export default function TabAddress() {
  return null
}
