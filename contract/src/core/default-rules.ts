import type * as z from 'zod'
import { says, type RuleText } from './said'

const optionsOf = (values: readonly unknown[]): string => values.map(String).join(', ')

function outOfBounds(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): RuleText {
  const isBig = issue.code === 'too_big'
  const bound = Number(isBig ? issue.maximum : issue.minimum)
  if (issue.origin === 'string')
    return isBig ? says('core.too_long', { most: bound }) : says('core.too_short', { least: bound })
  if (['array', 'set', 'map', 'object'].includes(issue.origin))
    return isBig ? says('core.too_many_items', { most: bound }) : says('core.too_few_items', { least: bound })
  if (issue.inclusive === false) return isBig ? says('core.below', { bound }) : says('core.above', { bound })
  return isBig ? says('core.at_most', { most: bound }) : says('core.at_least', { least: bound })
}

/**
 * Default message for an issue for which the schema defines none. Usage: `schema.safeParse(input, { error: defaultRule
 * })`.
 */
export function defaultRule(raw: z.core.$ZodRawIssue): RuleText {
  const issue = raw as z.core.$ZodIssue
  switch (issue.code) {
    case 'invalid_type':
      return raw.input === undefined ? says('core.required') : says('core.wrong_type', { expected: issue.expected })
    case 'too_big':
    case 'too_small':
      return outOfBounds(issue)
    case 'not_multiple_of':
      return says('core.multiple_of', { step: issue.divisor })
    case 'invalid_value':
      return raw.input === undefined ? says('core.required') : says('core.one_of', { options: optionsOf(issue.values) })
    case 'unrecognized_keys':
      return says('core.unknown_field')
    case 'invalid_format':
      return says('core.wrong_form')
    default:
      return says('core.unreadable_value')
  }
}
