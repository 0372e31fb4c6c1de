/** Whether the user is typing in a text field, in which case keyboard shortcuts must be ignored. */
export const isTyping = () =>
  document.activeElement instanceof HTMLElement &&
  (document.activeElement.isContentEditable || /^(INPUT|TEXTAREA|SELECT|IFRAME)$/.test(document.activeElement.tagName))
