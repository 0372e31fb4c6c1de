import { englishText } from './english'
import { expect, test } from 'vitest'
import { LdapChange } from '../settings/ldap'
import { NotificationsChange } from '../settings/notifications'
import { Description, NOT_VISIBLE, OptionalName, ResourceName, ServerHost, Tag } from './names'

interface Rule {
  safeParse(text: unknown): { success: boolean }
}
const accepts = (rule: Rule, ...texts: string[]) => {
  for (const text of texts) expect(rule.safeParse(text).success, JSON.stringify(text.slice(0, 40))).toBe(true)
}
const refuses = (rule: Rule, ...texts: unknown[]) => {
  for (const text of texts) expect(rule.safeParse(text).success, JSON.stringify(text)?.slice(0, 40)).toBe(false)
}

test('a resource name has 2 to 255 characters and starts with a letter [VA-037]', () => {
  accepts(ResourceName, 'ab', 'Web server 1', 'é1', '名前', `a${'b'.repeat(254)}`, 'a/b', 'a"b')
  refuses(ResourceName, '', 'a', `a${'b'.repeat(255)}`, '1a', ' ab', '-ab', '_ab', 'a\nb', 'a\u0000b', null, 12)
})
test('a mail or directory server must have a valid host name or IP address [VA-040]', () => {
  const label = 'a'.repeat(63)
  accepts(ServerHost, 'mail', 'mail.example.com', 'DC_01.corp.example.', '9.example', `${label}.${label}`, '')
  accepts(ServerHost, '192.0.2.7', '2001:db8::7')
  refuses(ServerHost, '-mail', 'mail-', 'mail..example', '.mail', 'mail example', 'mail/x', 'maîl', `${label}a`, ':', 7)
  refuses(ServerHost, Array.from({ length: 64 }, () => 'abc').join('.'))
  const [wrong, said] = ['mail..example', ['Enter a host name or an IP address']]
  const ofMails = NotificationsChange.safeParse({ smtp_settings: { smtp_server: wrong } })
  expect(ofMails.error?.issues.map(({ message }) => englishText(message))).toEqual(said)
  const ofDirectory = LdapChange.safeParse({ host: wrong }).error?.issues.filter(({ path }) => path[0] === 'host')
  expect(ofDirectory?.map(({ message }) => englishText(message))).toEqual(said)
})
test('names, tags and descriptions refuse invisible and bidirectional control characters', () => {
  const hidden = [
    '\u202e',
    '\u200b',
    '\u200d',
    '\u2066',
    '\ufeff',
    '\u00ad',
    '\u2028',
    '\u061c',
    '\u3164',
    '\u{e0041}',
    '\u0085',
  ]
  for (const rule of [ResourceName, OptionalName, Tag, Description])
    for (const character of hidden) {
      const result = rule.safeParse(`ab${character}c`)
      expect(
        result.error?.issues.map(({ message }) => message),
        JSON.stringify(character),
      ).toEqual([NOT_VISIBLE])
    }
  accepts(ResourceName, 'שרת', 'خادم 1', 'क्षेत्र', 'web \u{1f600}')
})
test('a description may have several lines', () => {
  accepts(Description, '', 'First line\nsecond line\r\n\tthird', '1', 'x'.repeat(255))
  refuses(Description, 'x'.repeat(256), 'a\u0000b', 'a\u001b[31mb')
  refuses(OptionalName, 'a\nb')
})
test('a tag cannot contain a comma, slash or tab, so that it can be used in lists and paths', () => {
  accepts(Tag, 'a', 'två ord', 'x'.repeat(60))
  refuses(Tag, '', 'a,b', 'a/b', 'x'.repeat(61), 'a\tb')
})
