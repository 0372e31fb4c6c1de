// Runs as a small blocking script before the first paint (see boot-plugin.ts), so that dark mode and right-to-left
// pages do not flash in the wrong state. The content security policy forbids inline code.
import { readLooks, showLooks } from './theme-storage'

showLooks(readLooks())

const language = /(?:^|;\s*)language=([a-z]{2})(?:;|$)/.exec(document.cookie)?.[1]
if (language) {
  document.documentElement.lang = language
  document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr'
}
