import { expect, test } from 'vitest'
import { reasonIn, serviceReasonIn } from './reasons'

test.for([
  {
    program: 'mount',
    errors:
      'mount: /run/netns: permission denied.\n       dmesg(1) may have more information after failed mount system call.\n',
    reason: 'mount: /run/netns: permission denied.',
  },
  {
    program: 'ip',
    errors: 'Error: ipv4: FIB table does not exist.\nDump terminated\n',
    reason: 'Error: ipv4: FIB table does not exist.',
  },
  {
    program: 'nft',
    errors: '/dev/stdin:1:1-9: Error: No such file or directory\nadd chain inet t c\n^^^^^^^^^ ^^^^\n',
    reason: '/dev/stdin:1:1-9: Error: No such file or directory add chain inet t c',
  },
  { program: 'a quiet program', errors: ' \n\n', reason: '' },
])('extracts the cause from the error output of $program, without hints', ({ errors, reason }) => {
  expect(reasonIn(errors)).toBe(reason)
})

test('limits the length of a reason', () => {
  expect(reasonIn('a very long line '.repeat(10_000)).length).toBeLessThanOrEqual(400)
})

test.for([
  {
    what: 'a known text if keepalived lacks CAP_NET_RAW',
    log: `Sun Nov 29 09:23:09 2026: Starting VRRP child process, pid=5876
Sun Nov 29 09:23:09 2026: Error 1 while registering gratuitous ARP shared channel
Sun Nov 29 09:23:09 2026: Stopped
Sun Nov 29 09:23:09 2026: pid 5876 exited with permanent error missing permission. Terminating
Sun Nov 29 09:23:09 2026: Stopped Keepalived v2.2.7 (01/16,2022)
carry: line 12: kill: (5876) - No such process\n`,
    reason: 'The server cannot open raw sockets on this host (capability CAP_NET_RAW)',
  },
  {
    what: 'the line in which the program reports the error',
    log: 'dnsmasq[7]: started, version 2.90\ndnsmasq: failed to create listening socket for 10.0.0.2: Permission denied\n',
    reason: 'dnsmasq: failed to create listening socket for 10.0.0.2: Permission denied',
  },
  {
    what: 'the cause, not the summary printed by HAProxy',
    log: `[NOTICE]   (9) : haproxy version is 2.6.12
[ALERT]    (9) : config : parsing [config:3] : unknown keyword 'binds' in 'frontend' section
[ALERT]    (9) : config : Fatal errors found in configuration.\n`,
    reason: `[ALERT] (9) : config : parsing [config:3] : unknown keyword 'binds' in 'frontend' section`,
  },
  {
    what: 'empty if the service was killed',
    log: 'dnsmasq[7]: started, version 2.90\ndnsmasq-dhcp[7]: read hosts\ncarry: line 12: kill: (7) - No such process\n',
    reason: '',
  },
])('the failure reason of a service is $what', ({ log, reason }) => {
  expect(serviceReasonIn(log)).toBe(reason)
})
