// Runs as a small blocking script of its own before the first paint (see boot-plugin.ts), so that nobody who chose dark
// or Arabic sees a flash of light or of a page the wrong way round. The policy for scripts forbids inline code.
import { readLooks, showLooks } from './theme-storage'

showLooks(readLooks())

const language = /(?:^|;\s*)language=([a-z]{2})(?:;|$)/.exec(document.cookie)?.[1]
if (language) {
  document.documentElement.lang = language
  document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr'
}
