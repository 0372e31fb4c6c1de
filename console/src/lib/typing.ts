/** Whether keys are somebody's text now, and not shortcuts. */
export const isTyping = () =>
  document.activeElement instanceof HTMLElement &&
  (document.activeElement.isContentEditable || /^(INPUT|TEXTAREA|SELECT|IFRAME)$/.test(document.activeElement.tagName))
