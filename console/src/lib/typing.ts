/** Whether key presses currently go into a text field, so that shortcuts must not react. */
export const isTyping = () =>
  document.activeElement instanceof HTMLElement &&
  (document.activeElement.isContentEditable || /^(INPUT|TEXTAREA|SELECT|IFRAME)$/.test(document.activeElement.tagName))
