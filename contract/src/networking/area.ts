import { quota } from '../compute/quotas'
import { area, capabilities } from '../core/area'
import { floatingIpKind, floatingIps } from './floating-ips'
import { NetworkingCapabilities, networkService } from './network-service'
import { networkKind, networks } from './networks'
import { portKind, ports } from './ports'
import { reach } from './reach'
import { routerKind, routers } from './routers'
import { securityGroupRuleKind, securityGroupRules } from './security-group-rules'
import { securityGroupKind, securityGroups } from './security-groups'
import { subnetKind, subnets } from './subnets'
import { networkingTolerances } from './tolerances'
import { topology } from './topology'

export const networkingArea = area({
  name: 'networking',
  title: 'networks',
  engine: {
    inEveryCloud: true,
    capabilities: capabilities(NetworkingCapabilities, {
      networks: false,
      external_networks: false,
      vlan_networks: false,
      routers: false,
      floating_ips: false,
      security_groups: false,
      spoofing_protection: false,
      published_ports: false,
      reach_probe: false,
      direct_vnics: false,
    }),
    quotas: {
      networks: quota({ of: 'network', unit: 'things', at: 'network.networks', words: 'networks' }),
      subnets: quota({ of: 'subnet', unit: 'things', at: 'network.subnets', words: 'subnets' }),
      ports: quota({ of: 'port', unit: 'things', at: 'network.ports', words: 'ports' }),
      routers: quota({ of: 'router', unit: 'things', at: 'network.routers', words: 'routers' }),
      floatingip: quota({ of: 'floating_ip', unit: 'things', at: 'network.floatingip', words: 'floating IPs' }),
      security_groups: quota({
        of: 'security_group',
        unit: 'things',
        at: 'network.security_groups',
        words: 'security groups',
      }),
      security_group_rules: quota({
        of: 'security_group_rule',
        unit: 'things',
        at: 'network.security_group_rules',
        words: 'security group rules',
      }),
    },
  },
  resources: {
    networks: { kind: networkKind, calls: networks },
    subnets: { kind: subnetKind, calls: subnets },
    ports: { kind: portKind, calls: ports },
    routers: { kind: routerKind, calls: routers },
    floatingIps: { kind: floatingIpKind, calls: floatingIps },
    securityGroups: { kind: securityGroupKind, calls: securityGroups },
    securityGroupRules: { kind: securityGroupRuleKind, calls: securityGroupRules },
    networkService: { calls: networkService },
    reach: { calls: reach },
    topology: { calls: topology },
  },
  tolerances: networkingTolerances,
})
