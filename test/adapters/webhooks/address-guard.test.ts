import { expect } from 'chai';
import { isPublicAddress, urlFault } from '../../../adapters/webhooks/address-guard.ts';

const strict = { allowLoopback: false };
const lenient = { allowLoopback: true };

const DISGUISES = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://017700000001/',
  'https://0177.0.0.1/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://１２７.０.０.１/',
  'https://①②⑦.⓪.⓪.①/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[2002:7f00:1::]/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://app.localhost/',
  'https://0.0.0.0/',
  'https://0/',
  'https://10.0.0.1/',
  'https://172.16.5.4/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456::1]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://192.0.0.1/',
];

const MALFORMED = [
  '',
  'example.com',
  'http://example.com/',
  'ftp://example.com/',
  'https://user@example.com/',
  'https://user:secret@example.com/',
  'https://:secret@example.com/',
  'https:// example.com/',
  'https://exam\tple.com/',
  'https:\\\\example.com/',
  'https://',
  'javascript:alert(1)',
  `https://example.com/${'a'.repeat(2_000)}`,
];

describe('Addresses for webhooks', () => {
  it('are refused in every notation of loopback and private ranges', () => {
    for (const url of DISGUISES) expect(urlFault(url, strict), url).to.be.a('string');
  });

  it('are refused unless they are https URLs without credentials', () => {
    for (const url of [...MALFORMED, 'http://127.0.0.1/'])
      expect(urlFault(url, strict), url).to.be.a('string');
  });

  it('are taken when they are public or may become so', () => {
    for (const url of [
      'https://example.com',
      'https://example.com:8443/hooks?x=1#y',
      'https://not-there-yet.example/',
      'https://8.8.8.8/',
      'https://[2606:4700::1111]/',
      'https://münchen.example/',
    ]) {
      expect(urlFault(url, strict), url).to.equal(null);
    }
  });

  it('may be 127.0.0.1 alone where that is allowed', () => {
    expect(urlFault('http://127.0.0.1:4000/hook', lenient)).to.equal(null);
    expect(urlFault('https://127.0.0.1/hook', lenient)).to.equal(null);
    for (const url of [
      'http://user@127.0.0.1/',
      'ftp://127.0.0.1/',
      'http://127.0.0.2/',
      'http://[::1]/',
      'http://localhost/',
      'https://localhost/',
      'http://10.0.0.1/',
      'http://example.com/',
    ]) {
      expect(urlFault(url, lenient), url).to.be.a('string');
    }
  });

  it('are public when they are global unicast', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1', '2001:4860:4860::8888']) {
      expect(isPublicAddress(address), address).to.equal(true);
    }
    for (const address of [
      '4000::1',
      'fe80::1%eth0',
      'nonsense',
      '',
      '::ffff:8.8.8.8',
      '3fff::1',
      '5f00::1',
    ]) {
      expect(isPublicAddress(address), address).to.equal(false);
    }
  });
});
