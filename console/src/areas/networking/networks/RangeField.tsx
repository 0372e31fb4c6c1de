import type { KeyboardEvent } from 'react'
import { freeRange, parseRange, rangeText, usable } from '@mainstay/contract/networking/addresses'
import { cidrFault } from '@mainstay/contract/networking/address-texts'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useBound } from '../../../patterns/form/use-bound'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { TextField } from '../../../ui/fields/TextField'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import { AddressStrip, StripLegend } from '../addresses/AddressStrip'
import { addressPlans, overlapOf, type NamedRange } from '../addresses/plan'
import { offeredPrefixes } from '../subnets/subnet-form'
import { useNetworks, useSubnets } from '../../../pickers/networking-lists'
import { isOfProject } from './network-words'
import css from './RangeField.module.css'

/**
 * Private ranges (RFC 1918). Free ranges are searched in the one that contains the current value, or in the first one.
 */
const privateRanges = ['192.168.0.0/16', '172.16.0.0/12', '10.0.0.0/8']

function nextFree(cidr: string, prefix: number, taken: readonly NamedRange[], after: boolean): string | null {
  const used = taken.flatMap((it) => parseRange(it.cidr) ?? [])
  const now = parseRange(cidr.trim())
  const within = privateRanges
    .map((it) => parseRange(it)!)
    .find((it) => now?.version !== 4 || (now.first >= it.first && now.last <= it.last))
  const outer = within ?? parseRange('192.168.0.0/16')!
  const from = after && now?.version === 4 ? [{ ...outer, last: now.last }] : []
  const found = freeRange(outer, prefix, [...used, ...from]) ?? freeRange(outer, prefix, used)
  return found && rangeText(found)
}

/** Ranges that a new network should not overlap: those in the current project. */
export function useTakenRanges(): NamedRange[] {
  const networkList = useNetworks()
  const subnetList = useSubnets()
  const own = new Map(networkList.rows.filter(isOfProject).map(({ id, name }) => [id, name]))
  return subnetList.rows.flatMap(({ network_id, cidr }) => {
    const name = own.get(network_id)
    return name === undefined ? [] : [{ id: network_id, name, cidr }]
  })
}

interface RangeFieldProps {
  /** Name of the form field that holds the subnet. */
  at: 'v4' | 'v6'
  /** Whether to show the project's address plan, and overlaps with it. */
  isPlanned: boolean
}

/**
 * An address range, which users can type, select by size, or replace with the next free one. Shows its position in the
 * address plan and any overlaps as it changes.
 */
export function RangeField({ at, isPlanned }: RangeFieldProps) {
  const t = useT('networking')
  const format = useFormat()
  const bound = useBound<string>(`${at}.cidr`)
  const taken = useTakenRanges()
  const range = parseRange(bound.value.trim())
  const isWhole = cidrFault(bound.value) === null
  const clash = isWhole && isPlanned ? overlapOf(bound.value.trim(), taken) : null
  const shown = range ? rangeText(range) : undefined
  const plans = isPlanned ? addressPlans(taken, shown) : []
  const prefix = range?.version === 4 ? range.prefix : 24
  const step = (after: boolean, size = prefix) => {
    const next = nextFree(bound.value, size, taken, after)
    if (next !== null) bound.onChange(next)
  }
  const suggestion = clash && nextFree(bound.value, prefix, taken, true)

  function byKey(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' || !isPlanned) return
    event.preventDefault()
    step(true)
  }

  return (
    <div className={css.range}>
      <div className={css.line}>
        <TextField
          {...bound}
          className={css.box}
          label={t(at === 'v4' ? 'subnets.range4' : 'subnets.range6')}
          help={isPlanned && t('subnets.rangeHelp')}
          isMono
          onKeyDown={byKey}
        />
        {isPlanned && (
          <Button className={css.next} onPress={() => step(true)}>
            {t('subnets.nextFree')}
          </Button>
        )}
      </div>
      {clash && (
        <Banner
          tone="warn"
          action={
            suggestion !== null && (
              <Button size="small" onPress={() => bound.onChange(suggestion)}>
                {t('subnets.use', { cidr: suggestion })}
              </Button>
            )
          }
        >
          {t('subnets.overlaps', {
            ...{ name: clash.with.name, cidr: clash.with.cidr, count: Number(clash.addresses) },
            shown: format.number(Number(clash.addresses)),
          })}
        </Banner>
      )}
      {at === 'v4' && (
        <SegmentedControl
          label={t('subnets.size')}
          value={offeredPrefixes.includes(prefix) ? String(prefix) : null}
          onChange={(size) => {
            const within = range?.version === 4 && !clash ? resized(bound.value, Number(size), taken) : null
            if (within === null) step(false, Number(size))
            else bound.onChange(within)
          }}
          items={offeredPrefixes.map((size) => ({
            ...{ id: String(size), label: `/${size}` },
            detail: format.number(2 ** (32 - size) - 3),
          }))}
        />
      )}
      {isPlanned && plans.length > 0 && (
        <section className={css.plans} aria-label={t('plan.where')}>
          {plans.map((plan) => (
            <AddressStrip key={String(plan.window.first)} plan={plan} />
          ))}
          <StripLegend hasOwn />
        </section>
      )}
    </div>
  )
}

/** Changes the size of a range while keeping its start address. Returns null if the result is invalid or not free. */
function resized(cidr: string, prefix: number, taken: readonly NamedRange[]): string | null {
  const range = parseRange(`${cidr.trim().split('/')[0]}/${prefix}`)
  if (!range || usable(range).first > range.last) return null
  const text = rangeText(range)
  return overlapOf(text, taken) ? null : text
}
