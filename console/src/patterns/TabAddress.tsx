/**
 * Empty page that gives a tab its own path. The page behind it renders the content and stays mounted when the tab
 * changes.
 */
export default function TabAddress() {
  return null
}
